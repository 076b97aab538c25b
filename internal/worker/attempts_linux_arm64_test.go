package worker

// archCalls exist on this architecture only.
var archCalls []attempt
