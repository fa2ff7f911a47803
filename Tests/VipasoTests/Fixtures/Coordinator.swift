import VipasoPay
import VipasoSDK

/// A delegate that records its notifications.
@MainActor
final class Coordinator: VipasoDelegate, VipasoPayDelegate {
    private(set) var changes: [Bool] = []
    private var waiting: [(count: Int, continuation: CheckedContinuation<Void, Never>)] = []

    func onAuthenticationStateChange(vipaso: any VipasoSDKProtocol, authenticated: Bool) {
        note(authenticated)
    }

    func onAuthenticationStateChange(vipaso: any VipasoPayProtocol, authenticated: Bool) {
        note(authenticated)
    }

    /// Waits until the delegate has received a given number of notifications.
    func changes(atLeast count: Int) async -> [Bool] {
        if changes.count < count {
            await withCheckedContinuation { waiting.append((count, $0)) }
        }
        return changes
    }

    private func note(_ authenticated: Bool) {
        MainActor.preconditionIsolated()
        changes.append(authenticated)
        for waiter in waiting where waiter.count <= changes.count { waiter.continuation.resume() }
        waiting.removeAll { $0.count <= changes.count }
    }
}
