"""What all packages share: exceptions, notation, material, boards, parallel work and console helpers.

Imports none of the other packages.
"""

__version__ = "0.1.0"
