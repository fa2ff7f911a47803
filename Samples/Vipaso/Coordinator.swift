import VipasoPay
import VipasoSDK

/// Receives login changes from both clients, like a coordinator that switches between screens.
#if MAIN_ACTOR_ANNOTATIONS
@MainActor
#endif
package final class Coordinator {
    private(set) package var changes: [Bool] = []
    package var whenChanged: ((Bool) -> Void)?

    package init() {}

    package func start(vipaso: VipasoSDKProtocol) {
        vipaso.delegate = self
    }

    package func start(vipasoPay: VipasoPayProtocol) {
        vipasoPay.delegate = self
    }

    private func show(authenticated: Bool) {
        changes.append(authenticated)
        whenChanged?(authenticated)
    }
}

extension Coordinator: VipasoDelegate {
    package func onAuthenticationStateChange(vipaso: VipasoSDKProtocol, authenticated: Bool) {
        if authenticated {
            show(authenticated: true)
        } else {
            show(authenticated: false)
        }
    }
}

extension Coordinator: VipasoPayDelegate {
    package func onAuthenticationStateChange(vipaso: VipasoPayProtocol, authenticated: Bool) {
        if authenticated {
            show(authenticated: true)
        } else {
            show(authenticated: false)
        }
    }
}
