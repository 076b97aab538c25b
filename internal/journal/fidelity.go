package journal

import "understudy.example/internal/fidelity"

// fidelity returns how certain the call's response is; "" if a fault acted on
// the call.
func (r recorded) fidelity() string {
	if len(r.Faults) > 0 {
		return ""
	}
	return string(fidelity.Of(fidelity.Call{
		Method: r.Method, Path: r.Path, Status: r.Status, RequestBody: string(r.RequestBody), ResponseBody: string(r.ResponseBody),
	}))
}
