import VipasoSDK

/// A fake implementation of the business calls for the app's previews and tests.
///
/// The fake does not need a server.
nonisolated package final class FakeBusiness: VipasoBusinessProtocol {
    package init() {}

    package func login(
        request: LoginRequest,
        completion: @escaping @MainActor (Result<LoginResponse, VipasoError>) -> Void
    ) {
        Task { @MainActor in completion(.success(LoginResponse(flowID: request.identifier))) }
    }

    package func logout() {}
}
