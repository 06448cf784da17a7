"""How the models that the package ships were made, and others that it can use."""
