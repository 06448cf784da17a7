"""How the models that the package ships were made."""
