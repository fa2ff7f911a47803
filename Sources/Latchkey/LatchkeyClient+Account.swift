public import LatchkeyCore

extension LatchkeyClient {
    /// Logs users in with a code that is sent to their phone number or e-mail address.
    ///
    /// The methods `signIn(phone:password:)` and `signIn(email:password:)` log in with a password instead.
    public var signIn: CodeSignIn {
        CodeSignIn(engine: engine.flows)
    }

    /// Recovers accounts whose users have forgotten the password.
    public var recovery: Recovery {
        Recovery(engine: engine.flows)
    }

    /// Verifies addresses of the user's account.
    public var verification: AddressVerification {
        AddressVerification(engine: engine.flows)
    }

    /// The account of the user who is logged in: its profile, password, addresses and sessions.
    public var account: Account {
        Account(engine: engine.flows)
    }

    /// The server's self-service flows, for apps that render its forms themselves.
    public var flows: Flows {
        Flows(engine: engine.flows)
    }
}
