import VipasoTypes

/// The calls for business users, which accept only accounts of the schema `business`.
struct BusinessCalls: VipasoBusinessProtocol {
    let adapter: VipasoAdapter<any VipasoDelegate>

    func login(
        request: LoginRequest,
        completion: @escaping @MainActor (Result<LoginResponse, VipasoError>) -> Void
    ) {
        adapter.login(request, as: .business, completion: completion)
    }

    func logout() {
        adapter.logout()
    }
}
