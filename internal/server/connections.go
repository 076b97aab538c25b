package server

// The listeners may use only a part of the file descriptors, so that the server can
// always open files, connect to the database and accept calls of the control API.
// Connections also use memory, about 20 KB each, therefore there are upper limits.
const (
	mostAPIConnections     = 16384
	mostControlConnections = 1024
)

// apiConnections returns the maximum number of connections of the API: half of the files
// that the server can open.
func apiConnections(openFiles uint64) int {
	return int(min(openFiles/2, mostAPIConnections))
}

// controlConnections returns the maximum number of connections of the control API: an
// eighth of the files that the server can open.
func controlConnections(openFiles uint64) int {
	return int(min(openFiles/8, mostControlConnections))
}
