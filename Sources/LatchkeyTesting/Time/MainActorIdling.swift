/// Waits until the jobs that are already enqueued on the main actor, and the jobs that they enqueue, have
/// run.
@MainActor package func mainActorIsIdle() async {
    for _ in 1...100 { await Task.yield() }
}
