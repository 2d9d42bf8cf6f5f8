"""`python -m sourcebook`: the command line without its script on the path."""

from sourcebook.surfaces.cli import main

main()
