import VipasoSDK

/// A door that needs no server, for previews and tests of the app's own.
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
