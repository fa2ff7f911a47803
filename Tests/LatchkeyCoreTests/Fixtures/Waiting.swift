import Testing

/// Waits until a condition holds, and records an issue if that takes too long.
func wait(
    until condition: Comment,
    sourceLocation: SourceLocation = #_sourceLocation,
    _ holds: () -> Bool
) async {
    let end = ContinuousClock.now + .seconds(120)
    while !holds() {
        guard ContinuousClock.now < end, !Task.isCancelled else {
            Issue.record("The wait until \(condition) took too long.", sourceLocation: sourceLocation)
            return
        }
        await Task.yield()
    }
}
