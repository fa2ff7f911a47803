import VipasoTypes

/// The calls for business users.
///
/// Only accounts with the identity schema `business` can log in.
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
