import VipasoSDK

/// A fake of the business calls that needs no server, for the app's previews and tests.
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
