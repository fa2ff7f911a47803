import Dispatch

/// The refresh lock of those who share a store within this process.
struct MemoryRefreshLock: RefreshLock {
    private let semaphore = DispatchSemaphore(value: 1)

    func wait(atMost time: Duration) -> HeldRefreshLock? {
        let nanoseconds = Int(min(time, .seconds(3600)) / .nanoseconds(1))
        guard semaphore.wait(timeout: .now() + .nanoseconds(nanoseconds)) == .success else { return nil }
        return HeldRefreshLock { [semaphore] in semaphore.signal() }
    }
}
