#!/bin/sh
# Puts the program of this folder into the menu of the user who runs this; --remove takes it out.
# 把本目录中的程序加入当前用户的菜单；加 --remove 则移除。
set -eu
here=$(cd "$(dirname "$0")" && pwd)
share=${XDG_DATA_HOME:-$HOME/.local/share}
name=lmstudio-workbench

cd "$here/share"
find . -type f | while read -r file; do
    if [ "${1:-}" = --remove ]; then
        rm -f "$share/$file"
        continue
    fi
    mkdir -p "$share/$(dirname "$file")"
    if [ "$file" = "./applications/$name.desktop" ]; then
        # what Exec takes to be special is escaped twice: once for it, once for sed
        program=$(printf '%s' "$here/lmstudio" | sed 's/[\\`$"]/\\\\&/g; s/%/%%/g; s/[&|\\]/\\&/g')
        sed "s|@PROGRAM@|$program|" "$file" > "$share/$file"
    else
        cp "$file" "$share/$file"
    fi
done
for tool in "update-desktop-database $share/applications" "update-mime-database $share/mime"; do
    $tool >/dev/null 2>&1 || true
done
