package import Latchkey

extension VipasoAdapter: VipasoRequests {
    /// Sends a request to the app's own API.
    @concurrent package func send(
        _ request: HTTP.Request,
        to origin: String
    ) async throws(VipasoError) -> HTTP.Response {
        do throws(LatchkeyError) {
            return try await client.send(request, to: origin)
        } catch {
            throw VipasoError(error, in: .request)
        }
    }

    /// Returns the credentials for a request that the app sends with its own network stack.
    @concurrent package func authorization(
        _ method: HTTP.Method,
        for url: String
    ) async throws(VipasoError) -> RequestAuthorization {
        do throws(LatchkeyError) {
            return try await client.authorization(method, for: url)
        } catch {
            throw VipasoError(error, in: .request)
        }
    }

    /// Reports a response that the app received with its own network stack.
    @discardableResult
    package func reportResponse(
        status: Int,
        headers: HTTP.Headers,
        for authorization: RequestAuthorization
    ) -> Bool {
        client.reportResponse(status: status, headers: headers, for: authorization)
    }
}
