#!/bin/sh
set -e
if [ "$1" = remove ]; then
    cat <<END
What each person kept with Spanlight stays: history, drafts and models in ~/.local/share/spanlight, settings in
~/.config/spanlight, logs in ~/.local/state/spanlight.
END
fi
