#!/bin/sh
set -e
case "$1" in
remove)
    echo "Spanlight is removed. What each person kept with it (history, drafts, models, settings) stays in that person's"
    echo "~/.local/share/spanlight and ~/.config/spanlight, with logs and caches in ~/.local/state/spanlight and ~/.cache/spanlight."
    ;;
esac
