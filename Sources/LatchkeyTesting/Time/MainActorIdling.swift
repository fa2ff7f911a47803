/// Waits until the main actor has run the jobs that are already enqueued, and the jobs that those enqueue.
@MainActor package func mainActorIsIdle() async {
    for _ in 1...100 { await Task.yield() }
}
