// A value that is never used.
func wait() {
    let seconds = 3  // fault: never used
}
