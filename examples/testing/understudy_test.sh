#!/usr/bin/env bash
# Example tests of a client against a running Understudy. Requires only curl:
#
#   ./understudy_test.sh
#
# UNDERSTUDY_CONTROL_URL is the URL of the control listener, by default that of
# `go run ./cmd/server`. UNDERSTUDY_CONTROL_TOKEN is its token, if it requires
# one. UNDERSTUDY_API_URL is the URL of the API, by default the one that the
# control listener reports. Replace the function `status` with your client.
set -euo pipefail
export no_proxy="${no_proxy:+$no_proxy,}127.0.0.1,localhost" # a proxy cannot reach this machine's server

CONTROL=${UNDERSTUDY_CONTROL_URL:-http://127.0.0.1:8081}/control/v1
STATUS=/universal/v2/universal-submit/status
DOCUMENT=$'Insured: Foxglove Bakery LLC\nAddress: 12 Mill Street, Springfield, IL 62701\n'

# pick NAME prints the string with that name in the JSON on standard input.
pick() { sed -n 's/.*"'"$1"'":"\([^"]*\)".*/\1/p'; }

# control METHOD PATH [BODY] calls the control API. An error ends the test.
control() {
	curl -sS --fail-with-body -X "$1" "$CONTROL$2" ${3:+-H 'Content-Type: application/json' -d "$3"} \
		${UNDERSTUDY_CONTROL_TOKEN:+-H "Authorization: Bearer $UNDERSTUDY_CONTROL_TOKEN"}
}

API=${UNDERSTUDY_API_URL:-$(control GET "" | pick api_url)}

# sandbox creates a tenant for the test, and deletes it when the test ends.
sandbox() {
	local tenant
	tenant=$(control POST /tenants '{}')
	TENANT=/tenants/$(pick name <<<"$tenant")
	CLIENT=$(pick client_id <<<"$tenant"):$(pick client_secret <<<"$tenant")
	KEY=$(pick api_key <<<"$tenant")
	trap 'control DELETE "$TENANT"' EXIT
}

token() { curl -sS --fail-with-body -u "$CLIENT" -X POST "$API/auth/token?grant_type=client_credentials" | pick access_token; }

# submit FILENAME submits a document as a client does, and prints the tx_id.
submit() {
	local bearer upload tx_id
	bearer=$(token)
	api() { curl -sS --fail-with-body -H "Authorization: Bearer $bearer" -H "x-api-key: $KEY" "$@"; }
	upload=$(api "$API/universal/v2/universal-submit/file-upload-url" -H 'Content-Type: application/json' -d "{\"filename\":\"$1\"}")
	tx_id=$(pick tx_id <<<"$upload")
	curl -sS --fail-with-body -X PUT "$(pick upload_url <<<"$upload")" -F "file=@-;filename=$1" <<<"$DOCUMENT" >&2
	api -X POST "$API/universal/v2/universal-submit/file/$tx_id" >&2
	echo "$tx_id"
}

# status TOKEN TX_ID prints the HTTP status code and the state of a submission.
# It stands for your client.
status() {
	local response
	response=$(curl -sS -w '\n%{http_code}' "$API$STATUS/$2" -H "Authorization: Bearer $1" -H "x-api-key: $KEY")
	echo "$(tail -n 1 <<<"$response") $(pick status <<<"$response")"
}

# expect WANT GOT ends the test unless GOT matches the pattern WANT.
expect() { [[ $2 == $1 ]] || { echo "got $2, want $1" >&2; exit 1; }; }

# A submission fails on demand, without waiting.
test_failure() {
	sandbox
	control PUT "$TENANT/outcomes" '{"match":{"filename":"broken.*"},"status":"Failed"}'
	local tx_id
	tx_id=$(submit broken.txt)
	control POST "$TENANT/clock" '{"advance":"1m"}'
	expect "200 Failed" "$(status "$(token)" "$tx_id")"
}

# The service is unavailable for one call.
test_unavailable() {
	sandbox
	local tx_id bearer
	tx_id=$(submit letter.txt)
	bearer=$(token)
	control POST "$TENANT/faults" '{"route":"GET '$STATUS'/{tx_id}","status":503,"times":1}'
	expect "503 *" "$(status "$bearer" "$tx_id")"
	expect "200 *" "$(status "$bearer" "$tx_id")"
}

# A token expires after twelve hours.
test_token_expires() {
	sandbox
	local tx_id bearer
	tx_id=$(submit letter.txt)
	bearer=$(token)
	expect "200 *" "$(status "$bearer" "$tx_id")"
	control POST "$TENANT/clock" '{"advance":"12h1s"}'
	expect "401 *" "$(status "$bearer" "$tx_id")"
	expect "200 Completed" "$(status "$(token)" "$tx_id")"
}

# Each test runs in a subshell, which the first failure ends. Its output is shown
# only if it fails.
failed=0
for name in failure unavailable token_expires; do
	set +e
	output=$(set -e; "test_$name" 2>&1)
	code=$?
	set -e
	if ((code == 0)); then
		echo "ok $name"
	else
		printf 'FAILED %s\n%s\n' "$name" "$output"
		failed=1
	fi
done
exit $failed
