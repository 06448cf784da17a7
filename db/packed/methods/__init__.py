"""The methods of McKenzie (1994), chapter 6, to compare with: positions in, bytes out, and back.

`symbolwise` has sym1, sym2, ind1 and ind2 of his figure 7.2, `differential` has diff; the simple code is
`db.packed.position.pack_simply`. A packed file uses none of them.
"""
