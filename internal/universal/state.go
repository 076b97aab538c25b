package universal

import "understudy.example/internal/auth"

// States of a submission: vocabulary A of service.md, "States and transitions",
// with Pending before the trigger.
const (
	Pending    = "Pending"
	InProgress = "Submission_in_progress"
	Scheduled  = "Scheduled"
	Started    = "Started"
	Completed  = "Completed"
	Failed     = "Failed"
)

// States lists all states in the order in which a submission can reach them.
var States = []string{Pending, InProgress, Scheduled, Started, Completed, Failed}

// state describes a state. The database refuses any transition that the trigger
// check_submission_transition does not know.
type state struct {
	next     string // the state that the clock or a poll moves it to; "" = only the trigger or processing does
	final    bool
	polling  string // its name in vocabulary B, for tenants whose status_vocabulary is "polling"
	txStatus string // its name in version 4, whose clients know no state before Scheduled
}

var states = map[string]state{
	Pending:    {polling: "Pending", txStatus: Scheduled}, // until the trigger
	InProgress: {next: Scheduled, polling: "Pending", txStatus: Scheduled},
	Scheduled:  {next: Started, polling: "Pending", txStatus: Scheduled},
	Started:    {polling: "Started", txStatus: Started}, // until it is processed
	Completed:  {final: true, polling: "Succeeded", txStatus: "COMPLETED"},
	Failed:     {final: true, polling: "Failed", txStatus: "FAILED"},
}

// statusFor returns the state in the vocabulary of a tenant with the settings.
func statusFor(settings auth.Settings, name string) string {
	if settings.StatusVocabulary == "polling" {
		return states[name].polling
	}
	return name
}
