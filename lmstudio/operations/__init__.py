"""The one door: a button and a command-line verb call the same function here."""
