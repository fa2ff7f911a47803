import Latchkey
import LatchkeyModel
import Testing

@Suite(.timeLimit(.minutes(10))) struct `Client previews` {
    private static let session = UserSession(
        id: "s-1",
        identity: Identity(
            id: "i-1",
            schema: "customer",
            traits: ["phone": "+439999999999", "name": ["first": "User", "last": "Test"]]
        ),
        expiresAt: Timestamp(seconds: 4_000_000_000).date
    )

    @Test(arguments: [
        SessionState.signedOut,
        .signedIn(session),
        .unavailable(.store(SessionStoreError(.locked, message: "The keyring is locked."))),
    ]) func `A preview starts in the given state`(state: SessionState) async {
        let client = LatchkeyClient.preview(state)

        #expect(client.sessionState == state)
        #expect(await client.restored() == state)
    }

    @Test func `A preview does not use the network and can be signed out`() async {
        let client = LatchkeyClient.preview(.signedIn(Self.session))

        let error = await #expect(throws: LatchkeyError.self) { try await client.checkSession() }
        #expect(error?.code == .unreachable)
        #expect(client.sessionState.session == Self.session)
        #expect(client.signOut().storageFailure == nil)
        #expect(client.sessionState == .signedOut)
    }
}
