package journal

import "understudy.example/internal/fidelity"

// fidelityLabel returns how certain it is that the service would respond in the same
// way; "" if a fault acted on the call.
func (r recordedCall) fidelityLabel() string {
	if len(r.Faults) > 0 {
		return ""
	}
	return string(fidelity.Of(fidelity.Call{
		Method: r.Method, Path: r.Path, Status: r.Status, RequestBody: string(r.RequestBody), ResponseBody: string(r.ResponseBody),
	}))
}
