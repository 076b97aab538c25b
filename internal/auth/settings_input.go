package auth

import (
	"encoding/json"
	"time"

	"understudy.example/internal/api"
)

// SettingsFields are the keys of settings in JSON.
var SettingsFields = []string{"pacing", "status_vocabulary", "trailing_whitespace", "rate_limit", "webhooks", "id_seed", "max_upload_bytes", "max_stored_bytes", "max_submissions"}

// maxRate is the highest rate limit, in calls per second.
const maxRate = 1_000_000

// maxSeed and maxQuota are the greatest integer that every JSON reader represents exactly.
const (
	maxSeed  = 1<<53 - 1
	maxQuota = 1<<53 - 1
)

// ReadSettings changes the settings that the object contains. The object has only
// known keys; at is its path in the request's body. Its errors are *api.Error.
func ReadSettings(at string, object api.Object, s *Settings) (err error) {
	for _, key := range SettingsFields { // in a fixed order, so that the same error is reported each time
		raw, given := object[key]
		at, isNull := api.FieldPath(at, key), string(raw) == "null"
		if !given {
			continue
		}
		switch key {
		case "pacing":
			s.Pacing = Pacing{}
			if !isNull {
				s.Pacing, err = readPacing(at, raw)
			}
		case "status_vocabulary":
			s.StatusVocabulary = ""
			if !isNull {
				s.StatusVocabulary, err = api.ReadOneOf(at, raw, "processing", "polling")
			}
		case "trailing_whitespace":
			s.TrailingWhitespace = false
			if json.Unmarshal(raw, &s.TrailingWhitespace) != nil {
				err = api.BadRequest("%s: want true or false", at)
			}
		case "rate_limit":
			s.RateLimit = 0
			if json.Unmarshal(raw, &s.RateLimit) != nil || s.RateLimit < 0 || s.RateLimit > maxRate ||
				s.RateLimit > 0 && s.RateLimit < 0.001 {
				err = api.BadRequest("%s: want calls per second, from 0.001 to %d, or 0 for no limit", at, maxRate)
			}
		case "webhooks":
			s.Webhooks = ""
			if !isNull {
				s.Webhooks, err = api.ReadOneOf(at, raw, "send", "collect")
			}
		case "id_seed":
			s.IDSeed = nil
			if json.Unmarshal(raw, &s.IDSeed) != nil || s.IDSeed != nil && (*s.IDSeed < -maxSeed || *s.IDSeed > maxSeed) {
				err = api.BadRequest("%s: want an integer from -%d to %d, or null for ids that do not recur", at, maxSeed, maxSeed)
			}
		case "max_upload_bytes":
			s.MaxUploadBytes, err = readQuota(at, raw)
		case "max_stored_bytes":
			s.MaxStoredBytes, err = readQuota(at, raw)
		case "max_submissions":
			s.MaxSubmissions, err = readQuota(at, raw)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// readQuota reads a quota; null is 0, which is none.
func readQuota(at string, text json.RawMessage) (quota int64, err error) {
	if json.Unmarshal(text, &quota) != nil || quota < 0 || quota > maxQuota {
		return 0, api.BadRequest("%s: want an integer from 1 to %d, or 0 for no limit", at, maxQuota)
	}
	return quota, nil
}

// maxWait is the longest wait before a state.
const maxWait = 366 * 24 * time.Hour

// maxPolls is the maximum number of polls for which a state lasts.
const maxPolls = 10_000

func readPacing(at string, text json.RawMessage) (pacing Pacing, err error) {
	object, err := api.ReadObject(at, text, "mode", "scheduled", "started", "finished", "per_state")
	if err != nil {
		return Pacing{}, err
	}
	if pacing.Mode, err = api.ReadOneOf(api.FieldPath(at, "mode"), object["mode"], "timed", "immediate", "polls"); err != nil {
		return Pacing{}, err
	}
	of := map[string]string{"scheduled": "timed", "started": "timed", "finished": "timed", "per_state": "polls", "mode": pacing.Mode}
	for _, key := range []string{"scheduled", "started", "finished", "per_state"} {
		if _, given := object[key]; given && of[key] != pacing.Mode {
			return Pacing{}, api.BadRequest("%s: only allowed with mode %s", api.FieldPath(at, key), of[key])
		}
	}
	waits := map[string]*string{"scheduled": &pacing.Scheduled, "started": &pacing.Started, "finished": &pacing.Finished}
	for _, key := range []string{"scheduled", "started", "finished"} {
		if raw, given := object[key]; given {
			if *waits[key], err = readWait(api.FieldPath(at, key), raw); err != nil {
				return Pacing{}, err
			}
		}
	}
	if raw, given := object["per_state"]; given {
		if json.Unmarshal(raw, &pacing.PerState) != nil || pacing.PerState < 1 || pacing.PerState > maxPolls {
			return Pacing{}, api.BadRequest("%s: want an integer from 1 to %d", api.FieldPath(at, "per_state"), maxPolls)
		}
	}
	return pacing, nil
}

// readWait reads a duration and returns it as it was written.
func readWait(at string, text json.RawMessage) (string, error) {
	var given string
	if json.Unmarshal(text, &given) == nil {
		if d, err := time.ParseDuration(given); err == nil && d >= 0 && d <= maxWait {
			return given, nil
		}
	}
	return "", api.BadRequest("%s: want a duration such as 0.5s or 10m", at)
}

// EffectiveSettings are a tenant's settings, including defaults.
type EffectiveSettings struct {
	Pacing             Pacing  `json:"pacing"`
	StatusVocabulary   string  `json:"status_vocabulary"`
	TrailingWhitespace bool    `json:"trailing_whitespace"`
	RateLimit          float64 `json:"rate_limit"`
	Webhooks           string  `json:"webhooks"`
	IDSeed             *int64  `json:"id_seed"`
	MaxUploadBytes     int64   `json:"max_upload_bytes"`
	MaxStoredBytes     int64   `json:"max_stored_bytes"`
	MaxSubmissions     int64   `json:"max_submissions"`
}

// Effective returns the settings with their defaults.
func (s Settings) Effective() EffectiveSettings {
	body := EffectiveSettings(s)
	setDefault(&body.Pacing.Mode, "timed")
	switch body.Pacing.Mode {
	case "timed":
		setDefault(&body.Pacing.Scheduled, "0.5s")
		setDefault(&body.Pacing.Started, "1s")
		setDefault(&body.Pacing.Finished, "2s")
	case "polls":
		body.Pacing.PerState = max(1, body.Pacing.PerState)
	}
	setDefault(&body.StatusVocabulary, "processing")
	setDefault(&body.Webhooks, "send")
	return body
}

// setDefault sets the text if it is empty.
func setDefault(text *string, value string) {
	if *text == "" {
		*text = value
	}
}
