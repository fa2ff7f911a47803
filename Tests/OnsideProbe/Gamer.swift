import Foundation
import Latchkey
import LatchkeyModel
import LatchkeyPurchases
import LatchkeyTesting
import OnsideKit

/// A presenter whose user approves or abandons the login in the store app.
@MainActor final class Gamer: OnsidePresenter {
    enum End: CaseIterable {
        case approval, dismissal, secondApproval, expiry

        var isAbandoned: Bool { self == .dismissal || self == .expiry }
    }

    /// The end of the next login.
    var end = End.approval
    private let provider: HandOffServer
    private let time: VirtualTime

    init(_ provider: HandOffServer, time: VirtualTime) {
        (self.provider, self.time) = (provider, time)
    }

    func present(_ login: LoginPresentation) async {
        for await screen in login.screens {
            switch screen {
            case .otherApp:
                switch end {
                case .dismissal: login.dismiss()
                case .expiry:
                    await time.sleepers(atLeast: 1)
                    time.advance(by: .seconds(600))
                case .approval, .secondApproval:
                    if let url = provider.answer.flatMap({ URL(string: $0) }) { Onside.handle(url: url) }
                }
            case .form, .failed: login.dismiss()
            case .ended: return
            case .loading, .duty, .browser: continue
            }
        }
    }

    func presentPaymentMethods(_ purchases: Purchases) async {}
}

/// A device on which the store app is installed.
struct InstalledApps: URLSchemeHandlers {
    func isHandled(_ scheme: String) async -> Bool { true }

    func open(_ url: String) async throws(LatchkeyError) {}
}
