"""Starts the application on $PORT."""

import os

import wiki  # noqa: F401
from django.core.management import call_command

call_command("migrate", verbosity=0)
call_command("runserver", f"127.0.0.1:{os.environ['PORT']}", use_reloader=False)
