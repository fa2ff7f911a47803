import VipasoTypes

/// The door for business users.
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
