"""The app's name and version: the one place where the version stands."""

NAME = "Spanlight"
VERSION = "0.1.0"
