; A Spanlight that is running is asked to close, as a person would close its window; it is never ended by force.

!macro LookAt PROGRAM
  ${If} ${FileExists} "${PROGRAM}"
    ClearErrors
    FileOpen $R4 "${PROGRAM}" a
    ${If} ${Errors}
      StrCpy $R2 1
    ${Else}
      FileClose $R4
    ${EndIf}
  ${EndIf}
!macroend

!macro RunningFunctions UN
; $R2 is 1 while a program in the folder $R3 is running: it cannot be opened for writing then.
Function ${UN}LookWhetherRunning
  StrCpy $R2 0
  !insertmacro LookAt "$R3\spanlight.exe"
  !insertmacro LookAt "$R3\spanlight.com" ; the one in terminals
FunctionEnd

; Asks each window of the program in the folder $R3 to close. Others of the same title belong to other programs.
Function ${UN}AskToClose
  StrCpy $0 0
  ${Do}
    FindWindow $0 "" "${NAME}" 0 $0
    ${If} $0 = 0
      ${ExitDo}
    ${EndIf}
    System::Call 'user32::GetWindowThreadProcessId(p r0, *i .r1)'
    System::Call 'kernel32::OpenProcess(i 0x1000, i 0, i r1) p .r2' ; PROCESS_QUERY_LIMITED_INFORMATION
    System::Call 'kernel32::QueryFullProcessImageNameW(p r2, i 0, w .r3, *i ${NSIS_MAX_STRLEN})'
    System::Call 'kernel32::CloseHandle(p r2)'
    ${If} $3 == "$R3\spanlight.exe"
      System::Call 'user32::PostMessageW(p r0, i ${WM_CLOSE}, p 0, p 0)'
    ${EndIf}
  ${Loop}
FunctionEnd

; Waits up to twenty seconds for the program in the folder $R3 to end once it was asked to.
Function ${UN}CloseIn
  ${Do}
    Call ${UN}LookWhetherRunning
    ${If} $R2 = 0
      Return
    ${EndIf}
    Call ${UN}AskToClose
    StrCpy $R5 0
    ${DoWhile} $R5 < 100
      Sleep 200
      Call ${UN}LookWhetherRunning
      ${If} $R2 = 0
        Return
      ${EndIf}
      IntOp $R5 $R5 + 1
    ${Loop}
    ${IfThen} ${Cmd} `MessageBox MB_RETRYCANCEL|MB_ICONEXCLAMATION "${NAME} is still running. Close it, then go on." \
      /SD IDCANCEL IDCANCEL` ${|} ${ExitDo} ${|}
  ${Loop}
  SetErrorLevel 32
  Quit
FunctionEnd
!macroend

!insertmacro RunningFunctions ""
!insertmacro RunningFunctions "un."

Function CloseSpanlight
  ReadRegStr $R3 SHCTX "${UNINSTALL_KEY}" "InstallLocation"
  ${If} $R3 != ""
  ${AndIf} $R3 != $INSTDIR
    Call CloseIn
  ${EndIf}
  StrCpy $R3 $INSTDIR
  Call CloseIn
FunctionEnd

Function un.CloseSpanlight
  StrCpy $R3 $INSTDIR
  Call un.CloseIn
FunctionEnd
