/// Waits until the main actor has run all enqueued jobs, including jobs that are enqueued by other jobs.
@MainActor package func mainActorIsIdle() async {
    for _ in 1...100 { await Task.yield() }
}
