/// Waits until the jobs that were enqueued on the main actor before, and their successors, have run.
@MainActor package func mainActorIsIdle() async {
    for _ in 1...100 { await Task.yield() }
}
