#!/usr/bin/env bash
# Tests of a client against a running Understudy. Needs curl, nothing else:
#
#   ./understudy_test.sh
#
# UNDERSTUDY_CONTROL_URL and UNDERSTUDY_CONTROL_TOKEN tell where its control
# listener is, when it is not where `go run ./cmd/server` puts it; that one tells
# where the API is, unless UNDERSTUDY_API_URL does. Let your client make the
# calls that `status` makes here.
set -euo pipefail

CONTROL=${UNDERSTUDY_CONTROL_URL:-http://127.0.0.1:8081}/control/v1
STATUS=/universal/v2/universal-submit/status
DOCUMENT=$'Insured: Foxglove Bakery LLC\nAddress: 12 Mill Street, Springfield, IL 62701\n'

# pick NAME: the text at that name in a JSON body
pick() { sed -n 's/.*"'"$1"'":"\([^"]*\)".*/\1/p'; }

# control METHOD PATH [BODY]: calls the control API; a refusal ends the test
control() {
	curl -sS --fail-with-body -X "$1" "$CONTROL$2" ${3:+-H 'Content-Type: application/json' -d "$3"} \
		${UNDERSTUDY_CONTROL_TOKEN:+-H "Authorization: Bearer $UNDERSTUDY_CONTROL_TOKEN"}
}

API=${UNDERSTUDY_API_URL:-$(control GET "" | pick api_url)}

# sandbox: makes a tenant of the test's own, deleted with it
sandbox() {
	local made
	made=$(control POST /tenants '{}')
	TENANT=/tenants/$(pick name <<<"$made")
	CLIENT=$(pick client_id <<<"$made"):$(pick client_secret <<<"$made")
	KEY=$(pick api_key <<<"$made")
	trap 'control DELETE "$TENANT"' EXIT
}

token() { curl -sS --fail-with-body -u "$CLIENT" -X POST "$API/auth/token?grant_type=client_credentials" | pick access_token; }

# submit FILENAME: submits a document as a client does; prints its tx_id
submit() {
	local bearer place tx_id
	bearer=$(token)
	api() { curl -sS --fail-with-body -H "Authorization: Bearer $bearer" -H "x-api-key: $KEY" "$@"; }
	place=$(api "$API/universal/v2/universal-submit/file-upload-url" -H 'Content-Type: application/json' -d "{\"filename\":\"$1\"}")
	tx_id=$(pick tx_id <<<"$place")
	curl -sS --fail-with-body -X PUT "$(pick upload_url <<<"$place")" -F "file=@-;filename=$1" <<<"$DOCUMENT" >&2
	api -X POST "$API/universal/v2/universal-submit/file/$tx_id" >&2
	echo "$tx_id"
}

# status TOKEN TX_ID: code and state of a submission, as your client asks
status() {
	local answer
	answer=$(curl -sS -w '\n%{http_code}' "$API$STATUS/$2" -H "Authorization: Bearer $1" -H "x-api-key: $KEY")
	echo "$(tail -n 1 <<<"$answer") $(pick status <<<"$answer")"
}

# expect WANT GOT
expect() { [[ $2 == $1 ]] || { echo "want $1, got $2" >&2; exit 1; }; }

# A submission that ends Failed: on demand, and without waiting for it.
test_failure() {
	sandbox
	control PUT "$TENANT/outcomes" '{"match":{"filename":"broken.*"},"status":"Failed"}'
	local tx_id
	tx_id=$(submit broken.txt)
	control POST "$TENANT/clock" '{"advance":"1m"}'
	expect "200 Failed" "$(status "$(token)" "$tx_id")"
}

# A service that is away for one call.
test_unavailable() {
	sandbox
	local tx_id bearer
	tx_id=$(submit letter.txt)
	bearer=$(token)
	control POST "$TENANT/faults" '{"route":"GET '$STATUS'/{tx_id}","status":503,"times":1}'
	expect "503 *" "$(status "$bearer" "$tx_id")"
	expect "200 *" "$(status "$bearer" "$tx_id")"
}

# A token that expires, twelve hours later.
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

# Each in a process of its own, which the first failure ends; what it prints is
# shown then.
failed=0
for name in failure unavailable token_expires; do
	set +e
	said=$(set -e; "test_$name" 2>&1)
	code=$?
	set -e
	if ((code == 0)); then
		echo "ok $name"
	else
		printf 'FAILED %s\n%s\n' "$name" "$said"
		failed=1
	fi
done
exit $failed
