import Testing

/// Waits until a condition is met.
///
/// Records an issue after 120 seconds.
func wait(
    until condition: Comment,
    sourceLocation: SourceLocation = #_sourceLocation,
    _ holds: () -> Bool
) async {
    let end = ContinuousClock.now + .seconds(120)
    while !holds() {
        guard ContinuousClock.now < end, !Task.isCancelled else {
            Issue.record("Timed out while waiting until \(condition).", sourceLocation: sourceLocation)
            return
        }
        await Task.yield()
    }
}
