import Foundation
import VipasoSDK

/// The sign-up screen for customers.
///
/// The screen asks for a phone number, a code and a profile.
#if MAIN_ACTOR_ANNOTATIONS
@MainActor
#endif
package final class CustomerSignupScreen {
    private let vipaso: VipasoSDKProtocol
    private(set) package var flowID = ""

    package init(vipaso: VipasoSDKProtocol) {
        self.vipaso = vipaso
    }

    package func sendCode(to phoneNumber: String, report: @escaping (Outcome) -> Void) {
        let request = StartSignupRequest(phoneNumber: phoneNumber)
        vipaso.user.customer.startSignupFlow(request: request) { result in
            switch result {
            case .success(let response):
                self.flowID = response.flowID
                report(.done(flowID: response.flowID))
            case .failure(let error):
                switch error {
                case .signup(.otp(let otpError)):
                    report(.codeNotDelivered("\(otpError)"))
                default:
                    report(.failed(error.localizedDescription))
                }
            }
        }
    }

    package func enter(otp: String, report: @escaping (Outcome) -> Void) {
        let request = VerifyPhoneNumberRequest(flowID: flowID, otp: otp)
        vipaso.user.customer.verifyPhoneNumber(request: request) { result in
            switch result {
            case .success(let response):
                report(.done(flowID: response.flowID))
            case .failure(let error):
                report(.failed(error.localizedDescription))
            }
        }
    }

    package func createAccount(
        password: String,
        email: String?,
        firstName: String,
        lastName: String,
        phoneNumber: String,
        report: @escaping (Outcome) -> Void
    ) {
        let request = FinishSignupRequest(
            flowID: flowID,
            password: password,
            email: email,
            firstName: firstName,
            lastName: lastName,
            phoneNumber: phoneNumber
        )
        vipaso.user.customer.finishSignupFlow(request: request) { result in
            switch result {
            case .success(let response):
                report(.done(flowID: response.flowID))
            case .failure(let error):
                report(.failed(error.localizedDescription))
            }
        }
    }
}
