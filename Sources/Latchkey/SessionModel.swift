public import LatchkeyCore
public import Observation

/// The state of a client's session for SwiftUI views and other users of Observation.
///
/// ```swift
/// @State private var model = SessionModel(latchkey)
/// ```
///
/// The properties change on the main actor, in the same order as the client's state. You don't need to stop
/// the model, because the client doesn't retain it.
@available(macOS 14, iOS 17, tvOS 17, watchOS 10, visionOS 1, *)
@MainActor @Observable
public final class SessionModel {
    /// The current state.
    ///
    /// This is `unavailable(.notReadYet)` until a keyring has been read.
    public private(set) var state: SessionState

    @ObservationIgnored private let relay = Relay()

    /// Creates a model for a client's session.
    ///
    /// - Parameter client: The client whose session the model represents.
    public init(_ client: LatchkeyClient) {
        state = client.sessionState
        relay.model = self
        client.addObserver(relay)
    }

    /// The session, or `nil` if no user is logged in.
    public var session: UserSession? { state.session }

    /// The observer.
    ///
    /// The client only holds a weak reference to the observer, so the observer lives as long as the model.
    private final class Relay: SessionObserver {
        weak var model: SessionModel?

        func sessionDidChange(to state: SessionState) {
            if model?.state != state { model?.state = state }
        }
    }
}
