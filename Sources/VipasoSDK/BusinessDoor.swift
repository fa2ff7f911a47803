import VipasoTypes

/// The calls for business users, which accept only accounts of the schema `business`.
struct BusinessDoor: VipasoBusinessProtocol {
    let door: VipasoDoor<any VipasoDelegate>

    func login(
        request: LoginRequest,
        completion: @escaping @MainActor (Result<LoginResponse, VipasoError>) -> Void
    ) {
        door.login(request, as: .business, completion: completion)
    }

    func logout() {
        door.logout()
    }
}
