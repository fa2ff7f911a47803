import LatchkeyCourier

/// The texts of pages, in English.
///
/// `{name}` is a placeholder for a ``Placeholder``. Texts that forms contain, too, are ``FormText`` values.
package enum PageText: String, Sendable, CaseIterable {
    // Headings of flows.
    case signInAgain = "Sign in again"
    case enterCode = "Enter the code"
    case recoverAccount = "Recover your account"
    case confirmContact = "Confirm your contact details"
    case confirmed = "Confirmed"
    case settings = "Settings"
    case newPassword = "Set a new password"
    case profile = "Profile"

    // Parts of flows.
    case signInForClient = "Sign in to continue to {client}."
    case thenClient = "Then you can continue to {client}."
    /// Two codes may have been sent, each of which only works on its own page.
    case codeByMail = "Enter the code from the e-mail to {address}."
    case codeByText = "Enter the code from the text message to {address}."
    case recoveryHint = "We will send you a code. With it, you can set a new password."
    case verificationHint = "We will send you a code, so that we know that the address or number is yours."
    /// The label of a field that may be left empty.
    case optionalField = "{label} (optional)"

    // The titles of traits in built-in schemas.
    case traitName = "Name"
    case traitFirstName = "First name"
    case traitLastName = "Last name"
    case traitGivenName = "Given name"
    case traitFamilyName = "Family name"
    case traitDisplayName = "Display name"
    case traitBirthday = "Birthday"
    case traitRegion = "Region"

    // Links and buttons.
    case forgotPassword = "Forgot your password?"
    case haveAccount = "I already have an account"
    case backToSignIn = "Back to sign-in"
    case cancel = "Cancel"
    case signOut = "Sign out"
    case staySignedIn = "Stay signed in"
    case startAgain = "Start again"
    case tryAgain = "Try again"
    case backToForm = "Back to the form"
    case yourAccount = "Your account"
    case goToClient = "Go to {client}"

    // Accounts.
    case signedInAs = "You are signed in as {account}."
    case notSignedIn = "You are not signed in."
    case chooseAccount = "Choose an account"
    case continueAs = "Continue as {account}"
    case otherAccount = "Use another account"

    // Sessions.
    case whereSignedIn = "Where you are signed in"
    case thisBrowser = "This browser"
    case unknownDevice = "Unknown device"
    case lastUsed = "Last used {time}"
    case sessionEnded = "That device is signed out."
    case signOutEverywhere = "Sign out everywhere"
    case signOutEverywhereHint = "You can also sign out on all your devices, including this one."

    // Consent.
    case consentTitle = "{client} asks for access to your account"
    case continueTitle = "Continue to {client}"
    case continueToClientAs = "Continue to {client} as {account}"
    case redirectsToHost = "You will return to {host}."
    case redirectsToApp = "You will return to an app on this device. We cannot check which app it is."
    case shared = "Shared with {client}"
    case allow = "Allow"
    case notNow = "Not now"
    case privacyPolicy = "Privacy policy"
    case termsOfService = "Terms of service"
    case scopeOpenID = "An identifier of your account"
    case scopeProfile = "Your name and your profile"
    case scopeEmail = "Your e-mail address"
    case scopePhone = "Your phone number"
    case scopeOfflineAccess = "Access even when you are not using it"

    // Requests of clients that cannot be answered.
    case requestAnswered = "You have already answered this request"
    case requestExpired = "This request has expired"
    case requestElsewhere = "This request was started in another browser"
    case backToClient = "Go back to {client} and start again there."
    case backToApp = "Go back to the app or website and start again there."

    // Signing out.
    case signOutTitle = "Do you want to sign out?"
    case signedOut = "You are signed out"

    // Mailed links.
    case confirmAddress = "Confirm {address}"
    case requestedAt = "This was requested on {time}."
    case requestedFor = "It was requested for {client}."
    case requestedNear = "It came from the network {place}."
    case confirm = "Confirm"
    case notMe = "This was not me"
    case notMeDone = "Thank you for telling us"
    case notMeDoneHint = "The link no longer works. You do not have to do anything else."
    case addressConfirmed = "Your address is confirmed"
    case confirmedElsewhere = "Go back to the app or browser where you started."
    case signedUpHere = "If you started in {client} on this device, continue there."
    case openClient = "Open {client}"
    case signedUpElsewhere =
        "If you started on another device, or {client} does not open, go back to {client} where you started and sign in."
    case linkUsed = "This link has already been used"
    case linkExpired = "This link has expired"
    case askForNewOne = "If you still need one, start again."

    // Sessions from apps.
    case continueFromApp = "{client} signs you in to this browser."
    case replacesAccount =
        "You are now signed in as {account}. If you continue, you are signed out of that account."
    case handoverEnded = "This link no longer works"
    case handoverEndedHint = "Go back to the app and open the page from there again, or sign in here."
    case appOnly = "Sign in with the app"
    case appOnlyHint = "This account signs in through its app. Open the app on your device to continue."
    case registrationClosed = "You cannot create an account here"
    case registrationClosedHint = "If you already have an account, you can sign in with it."

    // Errors.
    case formInvalid = "This form is no longer valid"
    case formInvalidHint =
        "It was opened in another browser, or you have signed in or out since. Start again with a new form."
    case formRejected = "We cannot process this form"
    case formRejectedHint = "It is too large or incomplete. Go back and try again."
    case pageExpired = "This page has expired"
    case pageExpiredHint = "It was open for too long, or you have already finished here. Start again."
    case cookiesOff = "Your browser does not accept cookies"
    case cookiesOffHint =
        "Without cookies, we cannot sign you in. Allow them for this site in your browser and try again."
    case linkForbidden = "This link is not allowed"
    case linkForbiddenHint = "It leads to an address that we do not know, so we have not opened it."
    case requestInvalid = "This app cannot sign you in"
    case requestInvalidHint = "Its request was not valid. The app has to fix this; your account is fine."
    case wrongAccount = "This page belongs to another account"
    case wrongAccountHint = "You are now signed in with a different account. Start again with this one."
    case signedOutHint = "Sign in again to continue."
    case codeNotSent = "We cannot send you a code"
    case codeNotSentHint = "Please try again later, or go back and use another address."
    case stepRequired = "There is something to do first"
    case stepRequiredHint = "Your account needs a step from you. Complete it, and then make this change."
    case tooManyRequests = "Too many attempts"
    case tooManyRequestsHint = "Please wait a few minutes and try again."
    case tooManyRequestsWait = "Please wait {time} and try again."
    case tooManyRequestsOver = "You can try again now."
    case seconds = "{count} seconds"
    case minutes = "{count} minutes"
    case hours = "{count} hours"
    case days = "{count} days"
    case notFound = "We cannot find this page"
    case notFoundHint = "The link may be incomplete, or the page no longer exists."
    case serverProblem = "Something went wrong"
    case serverProblemHint = "The problem is on our side. Please try again in a moment."

    // Documents.
    case termsVersion = "Version {count}, effective from {time}"
    case termsChanges = "What has changed"

    case reference = "Reference number: {reference}"
}

extension PageText {
    /// The values that texts contain.
    package enum Placeholder: String, Sendable, CaseIterable {
        case account, address, client, count, host, label, place, reference, time
    }

    /// Returns the built-in translations into a language.
    ///
    /// The result is empty for English.
    static func table(of language: Language) -> [PageText: String] {
        switch language {
        case .english: [:]
        case .norwegian: norwegian
        case .swedish: swedish
        case .finnish: finnish
        }
    }
}
