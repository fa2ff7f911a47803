/// The English texts of forms; `{name}` is a placeholder for the member `name` of the message's context.
///
/// A message carries one of these texts until it is encoded; ``FormTranslation`` then translates it.
package enum FormText: String, Sendable, CaseIterable {
    // Labels.
    case signIn = "Sign in"
    case signInWithPassword = "Sign in with your password"
    case sendSignInCode = "Send me a code to sign in"
    case sendSignUpCode = "Send me a confirmation code"
    case signUp = "Create account"
    case back = "Back"
    case save = "Save"
    case proceed = "Continue"
    case resend = "Send another code"
    /// The label of the field for a code, in all kinds of flows.
    case code = "Code"
    case password = "Password"
    case email = "E-mail"
    case phone = "Phone number"
    /// The label of a field for any address, and of the login identifier.
    case emailOrPhone = "E-mail or phone number"

    // Next steps.
    /// The text is the same for unknown accounts.
    case loginCodeSent = "If an account matches, we have sent you a code. Enter it here."
    /// The text for registrations and re-authentications.
    case codeSent = "We have sent you a code. Enter it here."
    /// The text is the same for unknown accounts.
    case recoveryCodeSent = "If an account with this address exists, we have sent you a code. Enter it here."
    /// The text is the same for unknown addresses.
    case emailCodeSent =
        "If this address belongs to an account, we have sent you an e-mail with a code. Enter it here."
    /// The text is the same for unknown numbers.
    case phoneCodeSent =
        "If this number belongs to an account, we have sent you a text message with a code. Enter it here."
    case chooseCredential = "Choose how you want to sign in."
    case reauthenticate = "Please sign in again to confirm that it is you."
    case secondFactor = "Please sign in with your second factor."

    // Completed actions.
    case phoneVerified = "Your phone number is confirmed."
    case emailVerified = "Your e-mail address is confirmed."
    case recovered = "Your account has been recovered. Set a new password now."
    case settingsSaved = "Your changes have been saved."

    // Errors about the whole form.
    /// The text is the same for unknown identifiers and wrong passwords.
    case invalidCredentials =
        "Your sign-in details are incorrect. Check for typing mistakes, also in your password."
    case duplicate = "An account with this e-mail address or phone number already exists."
    /// The text names the identifier, and the context lists the login methods of its account.
    case duplicateWithHints =
        "An account with {credential_identifier_hint} already exists. Sign in instead."
    case identityDisabled = "This account has been disabled."
    case chooseSignIn = "Choose a way to sign in and fill in its fields."
    case chooseSignUp = "Choose a way to sign up and fill in its fields."
    case chooseChange = "Choose what to change and fill in its fields."
    case chooseRecovery = "Choose a way to recover your account and fill in its fields."
    case chooseVerification = "Choose a way to confirm and fill in its fields."
    case flowExpired = "This form has expired or was already completed. Please start again here."
    /// The message of the flow that replaces a completed recovery.
    case usedAlready = "This form was already completed. Please start again here."
    /// The message of the flow that replaces a verification which was completed or whose guesses are used up.
    case doneOrTriedTooOften =
        "This was already completed, or there were too many attempts. Please start again."
    case noCodeLogin = "No account matches, or the account does not support signing in with a code."
    case noCodeAddress = "Enter an e-mail address or phone number that a code can be sent to."
    case codeUsed = "This code has already been used. Request a new one."
    case codeExhausted = "Too many wrong codes were entered. Please start again."
    case wrongCode = "This code is incorrect or has expired. Check it, or request a new one."
    case traitsChanged = "Your details changed after the code was sent. Request a new one."
    case passwordUnchanged = "This is your current password. Choose a different one."
    case changedMeanwhile =
        "Your account was changed in another place at the same time. Check your details and try again."
    case severalAddresses = "Change one address at a time, because each must be verified first."
    case nothingToChange = "There is nothing to change here."
    /// The refusal of a right code for an address that the account lists but has not proven.
    case addressNotProven =
        "This address is not confirmed for the account that lists it. If it is your account, sign in with your password or another address and confirm this one there. If not, create an account with it."
    case removalNeedsProof =
        "To remove this address, first sign in again with your password or with a code sent to it."
    case passwordNeedsProof =
        "To replace your password, first sign in again with the current one, or recover your account."
    case addressNotVerified = "Verify your e-mail address or phone number first."

    // Errors about a single field.
    case missing = "Please fill in this field."
    case tooShort = "This is too short. The minimum length is {min_length}; you entered {actual_length}."
    case tooLong = "This is too long. The maximum length is {max_length}; you entered {actual_length}."
    /// The text has no limits, as placeholders do not support fractional numbers.
    case tooSmall = "This is too small."
    case tooLarge = "This is too large."
    case wrongType = "This has the wrong type. Expected: {allowed_types}."
    case invalidEmail = "This is not a valid e-mail address."
    case invalidPhone = "This is not a valid phone number. Start with + and the country code."
    case invalidDate = "This is not a valid date. Use the format year-month-day."
    case phoneNotVerified = "This phone number has not been verified yet."
    case otherPhoneVerified = "A different phone number was verified."
    case passwordTooShort = "The password is too short. Use at least {min_length} characters."
    case passwordTooLong = "The password is too long. Use at most {max_length} bytes."
    case passwordBreached =
        "This password has appeared in a data breach. Choose a different one."
    case passwordCommon = "This password is too common. Choose one that is harder to guess."
    case passwordSimilar = "The password is too similar to what you sign in with."
}
