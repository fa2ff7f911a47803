import Foundation
import VipasoSDK

/// The login screen for customers and business users.
///
/// Users can also log out here.
#if MAIN_ACTOR_ANNOTATIONS
@MainActor
#endif
package final class LoginScreen {
    private let vipaso: VipasoSDKProtocol

    package init(vipaso: VipasoSDKProtocol) {
        self.vipaso = vipaso
    }

    package func logInCustomer(phoneNumber: String, password: String, report: @escaping (Outcome) -> Void) {
        let request = LoginRequest(identifier: phoneNumber, password: password)
        vipaso.user.customer.login(request: request) { result in
            switch result {
            case .success:
                report(.loggedIn)
            case .failure(let error):
                report(.failed("Customer login failed: \(error.localizedDescription)"))
            }
        }
    }

    package func logInBusiness(email: String, password: String, report: @escaping (Outcome) -> Void) {
        let request = LoginRequest(identifier: email, password: password)
        vipaso.user.business.login(request: request) { result in
            switch result {
            case .success:
                report(.loggedIn)
            case .failure(let error):
                report(.failed("Business login failed: \(error.localizedDescription)"))
            }
        }
    }

    package func logOutCustomer() {
        vipaso.user.customer.logout()
    }

    package func logOutBusiness() {
        vipaso.user.business.logout()
    }
}
