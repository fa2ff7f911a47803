import Dispatch

/// A refresh lock for clients that share a store within the same process.
struct MemoryRefreshLock: RefreshLock {
    private let semaphore = DispatchSemaphore(value: 1)

    func wait(atMost time: Duration) -> HeldRefreshLock? {
        let nanoseconds = Int(min(time, .seconds(3600)) / .nanoseconds(1))
        guard semaphore.wait(timeout: .now() + .nanoseconds(nanoseconds)) == .success else { return nil }
        return HeldRefreshLock { [semaphore] in semaphore.signal() }
    }
}
