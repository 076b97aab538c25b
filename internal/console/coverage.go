package console

// coverage is the coverage of the API by a tenant's clients, with totals.
type coverage struct {
	Operations, Statuses, States, Events covered
}

// covered is a list of things that can be exercised.
type covered struct {
	Items     []any
	Seen, All int
}

// newCoverage returns the coverage in a response of the control API.
func newCoverage(seen any) *coverage {
	c := &coverage{Operations: newCovered(seen, "operations"), States: newCovered(seen, "states"), Events: newCovered(seen, "events")}
	for _, operation := range c.Operations.Items {
		statuses := newCovered(operation, "statuses")
		c.Statuses.Seen += statuses.Seen
		c.Statuses.All += statuses.All
	}
	return c
}

func newCovered(object any, list string) covered {
	var c covered
	c.Items, _ = at(object, list).([]any)
	c.All = len(c.Items)
	for _, item := range c.Items {
		if whole(at(item, "count")) > 0 {
			c.Seen++
		}
	}
	return c
}
