"""`acme`: commands of its own, and the subjects of Sourcebook beside them."""

import click
from sourcebook.surfaces.host import mount


@click.group()
def acme() -> None:
    """Work at Acme."""


@acme.command()
def greet() -> None:
    """Say hello."""
    click.echo("hello from acme")


mount(acme)
