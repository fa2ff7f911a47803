import VipasoTypes

/// The calls for customers; logins and sign-ups accept only accounts of the schema `customer`.
struct CustomerDoor: VipasoCustomerProtocol {
    let door: VipasoDoor<any VipasoDelegate>

    func startSignupFlow(
        request: StartSignupRequest,
        completion: @escaping @MainActor (Result<StartSignupResponse, VipasoError>) -> Void
    ) {
        door.startSignup(request, completion: completion)
    }

    func verifyPhoneNumber(
        request: VerifyPhoneNumberRequest,
        completion: @escaping @MainActor (Result<VerifyPhoneNumberResponse, VipasoError>) -> Void
    ) {
        door.verifyPhoneNumber(request, completion: completion)
    }

    func finishSignupFlow(
        request: FinishSignupRequest,
        completion: @escaping @MainActor (Result<FinishSignupResponse, VipasoError>) -> Void
    ) {
        door.finishSignup(request, as: .customer, completion: completion)
    }

    func login(
        request: LoginRequest,
        completion: @escaping @MainActor (Result<LoginResponse, VipasoError>) -> Void
    ) {
        door.login(request, as: .customer, completion: completion)
    }

    func logout() {
        door.logout()
    }
}
