"""How the models of packed files were made (`db/packed/models.npz`)."""
