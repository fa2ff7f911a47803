import VipasoTypes

/// The calls for customers.
///
/// Only accounts with the identity schema `customer` can log in or sign up.
struct CustomerCalls: VipasoCustomerProtocol {
    let adapter: VipasoAdapter<any VipasoDelegate>

    func startSignupFlow(
        request: StartSignupRequest,
        completion: @escaping @MainActor (Result<StartSignupResponse, VipasoError>) -> Void
    ) {
        adapter.startSignup(request, completion: completion)
    }

    func verifyPhoneNumber(
        request: VerifyPhoneNumberRequest,
        completion: @escaping @MainActor (Result<VerifyPhoneNumberResponse, VipasoError>) -> Void
    ) {
        adapter.verifyPhoneNumber(request, completion: completion)
    }

    func finishSignupFlow(
        request: FinishSignupRequest,
        completion: @escaping @MainActor (Result<FinishSignupResponse, VipasoError>) -> Void
    ) {
        adapter.finishSignup(request, as: .customer, completion: completion)
    }

    func login(
        request: LoginRequest,
        completion: @escaping @MainActor (Result<LoginResponse, VipasoError>) -> Void
    ) {
        adapter.login(request, as: .customer, completion: completion)
    }

    func logout() {
        adapter.logout()
    }
}
