#!/usr/bin/env bash
# Installs a release of Understudy into .understudy: the program and the test clients.
# Copy this file to ci/install-understudy.sh in your repository.
set -euo pipefail

version=1.2.3
release=${UNDERSTUDY_RELEASE:-https://releases.example/understudy/v$version} # URL of the directory with the release's files
name=understudy_$version

mkdir -p .understudy/python .understudy/js
cd .understudy
download() { curl -fsSL --retry 3 -o "$1" "$release/$1"; }
download SHA256SUMS
for file in "${name}_linux_amd64.tar.gz" "${name}_python.tar.gz" "${name}_js.tgz" Understudy.java; do
	download "$file"
	grep " $file\$" SHA256SUMS | sha256sum --check
done
tar -xzf "${name}_linux_amd64.tar.gz" --strip-components=1
tar -xzf "${name}_python.tar.gz" --strip-components=1 -C python
tar -xzf "${name}_js.tgz" --strip-components=1 -C js
