#!/bin/sh
# Installs a Debian package when that is possible without asking; otherwise says what to do.
set -eu
package=$1
if command -v apt-get >/dev/null; then
    if [ "$(id -u)" = 0 ]; then
        as_root=
    elif sudo -n true 2>/dev/null; then
        as_root="sudo -n"
    else
        echo "$package is missing: sudo apt install $package" >&2
        exit 1
    fi
    $as_root apt-get update -qq
    $as_root env DEBIAN_FRONTEND=noninteractive apt-get install -qq -y "$package" >/dev/null
fi
